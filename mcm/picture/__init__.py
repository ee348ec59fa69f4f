"""Pictures of executions: what is drawn (`compose`), where (`layout`), and as what (`svg`, `dot`, `text`)."""
