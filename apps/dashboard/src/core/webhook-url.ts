import { bareHost, destinationFormProblem, isLocalName } from '@herald/contracts/destination-form'

/** What is wrong with the URL of an endpoint while it is typed, by the server's own rule of its form. Undefined: nothing. */
export function problemOfWebhookUrl(url: string): string | undefined {
  const typed = url.trim()
  return typed === '' ? undefined : destinationFormProblem(typed)
}

/** What may be wrong, and only the server knows: development servers allow addresses of this machine. */
export function noteOfWebhookUrl(url: string): string | undefined {
  const typed = url.trim()
  if (typed === '' || problemOfWebhookUrl(typed) !== undefined) return undefined
  const host = bareHost(new URL(typed))
  const isNear = isLocalName(host) || /^(127|10)\.|^192\.168\.|^\[?::1\]?$/.test(host)
  return isNear
    ? 'This is an address of this machine or of a private network. Herald goes there only in development, with WEBHOOK_ALLOW_PRIVATE.'
    : undefined
}
