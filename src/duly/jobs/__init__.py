"""Python jobs: functions under a name, carried out in the event loop, in threads or in processes of their own."""
