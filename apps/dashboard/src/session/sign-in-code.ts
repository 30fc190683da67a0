let code: string | undefined

/**
 * Takes the code `#code=…` of a sign-in link out of the address, before the first request, and before the address can be copied or kept in the
 * history.
 */
export function takeCode(): void {
  const found = /^#code=([\w-]{1,200})$/.exec(location.hash)?.[1]
  if (found === undefined) return
  code = found
  history.replaceState(history.state, '', location.pathname + location.search)
}

/** Gives the code of the sign-in link that opened this page. Only the first call gets it. */
export function useUpCode(): string | undefined {
  const taken = code
  code = undefined
  return taken
}
