type Category = { default: 'in' | 'out'; locked?: boolean | undefined }

/** Says in a line who gets what is sent in a category. */
export function whoIsIn({ default: begins, locked = false }: Category): string {
  if (locked) return 'Everybody, and nobody can leave it.'
  return begins === 'in' ? 'Everybody, until they leave it.' : 'Only people who have joined it.'
}

/** Says why a person is in a category or not: `choice` is the person's own, if any. */
export function whyIn(category: Category, choice: boolean | undefined): string {
  if (category.locked === true) return 'Locked: everybody gets it.'
  if (choice === undefined) return category.default === 'in' ? 'No own choice: in it, as everybody is.' : 'No own choice: not in it.'
  return choice ? 'Joined.' : 'Left it.'
}
