"""Marriage learned."""

from __future__ import annotations
