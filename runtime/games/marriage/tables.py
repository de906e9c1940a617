"""The one table of Marriage: the learned numbers of expert."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ustad.runtime.core.game import Option
from ustad.tables import TableSpec


class MarriageTables(Tables):
    """The one table of Marriage."""

    @property
    def table_fields(self) -> tuple[Option, ...]:
        """The weights of expert are for all rules alike."""
        return ()

    def table_options(self) -> tuple[dict[str, Any], ...]:
        """Return the one table of weights."""
        return ({},)

    def table_spec(self, options: Mapping[str, Any]) -> TableSpec:
        """Return the identity of the table of expert's weights."""
        from ustad.runtime.games.marriage.values import weights_spec

        return weights_spec(dict(options))
