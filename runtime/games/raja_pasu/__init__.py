"""Raja Pasu (राजा पासु)."""
