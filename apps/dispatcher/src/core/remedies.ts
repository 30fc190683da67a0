import type { FailureCode } from '@herald/contracts/outcome'

/** What an operator does about pushes that failed or come back with a code: one sentence each. Null: nothing is to be done. */
export const remedies: Readonly<Record<FailureCode, string | null>> = {
  token_dead: null,
  token_invalid: 'if this is many devices, check that the credentials belong to the app that these tokens were made for',
  sender_mismatch: 'check that bundle id, project and environment of the credentials are those of the app that these tokens were made for',
  payload_too_large: 'shorten the texts or the data of the send: the provider takes about 4,000 bytes',
  payload_invalid: 'this is a mistake of Herald’s: report it with the provider’s code',
  credentials_invalid: 'put the app’s provider credentials in order; pushes are held until they are',
  not_configured: 'give the app credentials for this platform, or leave the platform out of the send',
  rate_limited: 'spread the app’s sends, or ask the provider for a higher quota; pushes are tried again when the provider says so',
  provider_unavailable: 'look at the provider’s status page; pushes wait and are tried again',
  network_error:
    'check that this machine reaches the provider (firewall, proxy, DNS) and the provider’s status page; pushes are tried again',
  timeout: 'check the network to the provider and its status page: it did not answer within 10 s; pushes are tried again',
  encryption_failed: 'check how the web page makes the keys that it registers: these do not decode',
  internal: 'the provider gave an answer that Herald does not know: report it with the provider’s code',
}
