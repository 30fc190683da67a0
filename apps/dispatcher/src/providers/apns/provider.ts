import { apnsToken } from '@herald/contracts/calls/gateway'
import type { SentTo } from '@herald/contracts/recipient'
import { openWayOut } from '@herald/service/way-out'
import type { Config } from '../../config.ts'
import { emptyPush, rateScope, type CredentialsOf, type Provider } from '../provider.ts'
import { apnsAnswers } from './answers.ts'
import { firstEnvironment, openApns, openApnsLine, type ApnsAddresses } from './transport.ts'

/** Apple's push service (APNs). It has two environments, and a device token belongs to one of them. */
export const apns: Provider<CredentialsOf<'apns'>> = {
  platform: 'ios',
  kind: 'apns',
  answers: apnsAnswers,
  takesSilent: true,
  hasManyHosts: false,
  // No iPhone has a token of zeros. APNs looks at the credentials before it looks at the device token.
  checkPush: { ...emptyPush, address: '0'.repeat(64), body: JSON.stringify({ aps: { 'content-available': 1 } }) },
  mistakeIn: () => null,

  async open({ config, bus, notesOf }) {
    const addresses = apnsAddresses(config)
    const wayOut = openWayOut(config)
    const openLine =
      config.TRANSPORT === 'library'
        ? (await import('./library.ts')).openApnsLine
        : (...[url, environment, topic]: [URL, 'production' | 'sandbox', string]) =>
            openApnsLine(url, environment, topic, notesOf(url.host), wayOut)
    return {
      forApp(appId, { version, bundleId: topic, environment, teamId, keyId, candidateId }, { oneEnvironmentOnly }) {
        const askForToken = (refused: string | null) => bus.call(apnsToken, { appId, refused, candidateId })
        const [production, sandbox, own] = (['production', 'sandbox', environment] as const).map((one) => firstEnvironment(one, addresses))
        const environmentOf = (to: SentTo) =>
          (to.environment === 'production' ? production : to.environment === 'sandbox' ? sandbox : own) ?? environment
        const asked = own !== undefined && oneEnvironmentOnly ? { [own]: addresses[own] } : addresses
        return {
          transport: openApns({ topic, environment, addresses: asked, askForToken, openLine }),
          version,
          // Apple names no number: only its answers slow a key down.
          rate: { scope: rateScope('apns', teamId, keyId), platform: 'ios', most: null },
          environment: own ?? environment,
          environmentOf,
          originOf: (to) => (environmentOf(to) === 'sandbox' ? 'apns sandbox' : 'apns production'),
        }
      },
      close: () => Promise.resolve(),
    }
  },
}

/** Gives the addresses of both environments: Apple's own unless one is configured. When only one is configured, the other is not used. */
function apnsAddresses({ APNS_URL: production, APNS_SANDBOX_URL: sandbox }: Config): ApnsAddresses {
  if (!production && !sandbox) {
    return { production: new URL('https://api.push.apple.com'), sandbox: new URL('https://api.sandbox.push.apple.com') }
  }
  return { production: production ? new URL(production) : undefined, sandbox: sandbox ? new URL(sandbox) : undefined }
}
