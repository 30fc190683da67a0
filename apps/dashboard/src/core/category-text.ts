type Category = { default: 'in' | 'out'; locked?: boolean | undefined }

/** Says in a line who gets what is sent in a category. */
export function whoIsIn({ default: begins, locked = false }: Category): string {
  if (locked) return 'Required: nobody can unsubscribe.'
  return begins === 'in' ? 'Subscribed by default (opt-out).' : 'Not subscribed by default (opt-in).'
}

/** Says why a person is in a category or not: `choice` is the person's own, if any. */
export function whyIn(category: Category, choice: boolean | undefined): string {
  if (category.locked === true) return 'Required: nobody can unsubscribe.'
  if (choice === undefined) return category.default === 'in' ? 'Default: subscribed.' : 'Default: not subscribed.'
  return choice ? 'Own preference: subscribed.' : 'Own preference: unsubscribed.'
}
