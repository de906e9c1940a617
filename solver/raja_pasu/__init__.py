"""Raja Pasu solved."""
