"""How a reply is read: words (`tokens`), phrases (`pattern`), meaning (`verdict`), and one lexicon per language."""
