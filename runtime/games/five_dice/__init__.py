"""What yacht and dice poker share: the turn of five dice, the sheet, the bots of a turn."""
