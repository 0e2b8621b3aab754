"""A few plans that are good wherever rates and selectivities may go, and a placement for all."""
