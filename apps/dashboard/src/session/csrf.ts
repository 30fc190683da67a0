let token: string | undefined

/** What proves that a change comes from this page and not from another site. Known once the session is. */
export const csrfToken = (): string | undefined => token

/** Keeps the token of the session that this page has; in memory only. */
export const keepCsrfToken = (of: string | undefined): void => {
  token = of
}
