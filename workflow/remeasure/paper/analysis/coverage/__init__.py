"""How often the rules err, on simulated campaigns and on cells compared with themselves."""
