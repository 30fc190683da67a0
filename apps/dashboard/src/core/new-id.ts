/** Makes an id of 24 hexadecimal characters for something that the page itself names, so that a save can be repeated. */
export const newId = (): string => crypto.randomUUID().replaceAll('-', '').slice(0, 24)
