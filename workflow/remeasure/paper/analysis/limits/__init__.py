"""What limited a rate: the load of links, hosts and machine during each run."""
