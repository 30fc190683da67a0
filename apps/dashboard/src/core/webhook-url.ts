import { bareHost, destinationFormProblem, isLocalName } from '@herald/contracts/destination-form'

/** Checks the URL of an endpoint with the server's own rule. Gives what is wrong, or undefined. */
export function problemOfWebhookUrl(url: string): string | undefined {
  const typed = url.trim()
  return typed === '' ? undefined : destinationFormProblem(typed)
}

/** Warns of an address of this machine or of a private network. Only the server knows whether such an address is allowed, as in development. */
export function noteOfWebhookUrl(url: string): string | undefined {
  const typed = url.trim()
  if (typed === '' || problemOfWebhookUrl(typed) !== undefined) return undefined
  const host = bareHost(new URL(typed))
  const isNear = isLocalName(host) || /^(127|10)\.|^192\.168\.|^\[?::1\]?$/.test(host)
  return isNear
    ? 'This is an address of this machine or of a private network. Herald goes there only in development, with WEBHOOK_ALLOW_PRIVATE.'
    : undefined
}
