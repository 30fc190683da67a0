import { bareHost, destinationFormProblem, isLocalName } from '@herald/contracts/destination-form'

/** Checks the URL of an endpoint by the server's own rule and says what is wrong; undefined when nothing is. */
export function problemOfWebhookUrl(url: string): string | undefined {
  const typed = url.trim()
  return typed === '' ? undefined : destinationFormProblem(typed)
}

/** Warns of an address of this machine. Only the server knows whether it is allowed, as it is in development. */
export function noteOfWebhookUrl(url: string): string | undefined {
  const typed = url.trim()
  if (typed === '' || problemOfWebhookUrl(typed) !== undefined) return undefined
  const host = bareHost(new URL(typed))
  const isNear = isLocalName(host) || /^(127|10)\.|^192\.168\.|^\[?::1\]?$/.test(host)
  return isNear
    ? 'This is an address of this machine or of a private network. Herald goes there only in development, with WEBHOOK_ALLOW_PRIVATE.'
    : undefined
}
