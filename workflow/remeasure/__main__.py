from remeasure.cli import main

main()
