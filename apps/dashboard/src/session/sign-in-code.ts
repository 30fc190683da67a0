let code: string | undefined

/** Takes `#code=…` of a sign-in link out of the address, before the first request and before it can be copied or kept in the history. */
export function takeCode(): void {
  const found = /^#code=([\w-]{1,200})$/.exec(location.hash)?.[1]
  if (found === undefined) return
  code = found
  history.replaceState(history.state, '', location.pathname + location.search)
}

/** Gives the code of the link that opened this page, once. */
export function useUpCode(): string | undefined {
  const taken = code
  code = undefined
  return taken
}
