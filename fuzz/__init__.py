"""Random and near-real inputs against everything that reads what other people wrote. Not part of the package."""
