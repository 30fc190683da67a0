let token: string | undefined

/** Gives the CSRF token, which proves that a change comes from this page and not from another site. Herald sends it with the session. */
export const csrfToken = (): string | undefined => token

/** Keeps the CSRF token of the session, in memory only. */
export const keepCsrfToken = (of: string | undefined): void => {
  token = of
}
