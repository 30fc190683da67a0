let code: string | undefined
let isNameAsked = false

/**
 * Takes the code `#code=…` of a sign-in link out of the address, before the first request, and before the address can be copied or kept in the
 * history. Behind the code of a link that names nobody stands `&name`.
 */
export function takeCode(): void {
  const [, found, asks] = /^#code=([\w-]{1,200})(&name)?$/.exec(location.hash) ?? []
  if (found === undefined) return
  code = found
  isNameAsked = asks !== undefined
  history.replaceState(history.state, '', location.pathname + location.search)
}

/** Says whether the sign-in link that opened this page waits for the operator's name. */
export const asksForName = (): boolean => code !== undefined && isNameAsked

/** Gives the code of the sign-in link that opened this page, while it is not used up. */
export const heldCode = (): string | undefined => code

/** Gives the code of the sign-in link that opened this page. Only the first call gets it. */
export function useUpCode(): string | undefined {
  const taken = code
  code = undefined
  return taken
}
