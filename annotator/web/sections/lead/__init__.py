"""What leads look at while work goes on: progress, quality, decisions, doubts."""
