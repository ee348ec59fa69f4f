"""The pages of the documentation site that are made: of rules, of models, and of the files that pages link to."""
