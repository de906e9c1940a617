"""The page: a static site on which people play, judge, learn and review all games, offline."""
