/** The SDK's version, which it sends with each request. A test compares it with package.json. */
export const version = '0.2.0'
