/** Proposes the id of a category from its name: "News & offers" becomes "news-offers". */
export const idOfName = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+/g, '')
    .slice(0, 32)
    .replaceAll(/-+$/g, '')
