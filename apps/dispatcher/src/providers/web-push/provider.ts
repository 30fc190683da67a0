import { Resolver } from 'node:dns/promises'
import { readVapidKey } from '@herald/auth/provider-token'
import { isReachableSubject } from '@herald/contracts/push-subject'
import { subjectWord } from '@herald/contracts/remedies'
import { endpointRuleOf } from '@herald/service/config'
import { guardBy, rememberingResolve, resolveByHostsFile, resolveByServers } from '@herald/service/guarded-connect'
import { openWayOut } from '@herald/service/way-out'
import { emptyPush, oneEnvironment, type CredentialsOf, type Provider } from '../provider.ts'
import { webPushAnswers } from './answers.ts'
import { hostOf, openWebPush } from './transport.ts'

/** The push services of browsers (RFC 8030). Each browser names its push service. */
export const webPush: Provider<CredentialsOf<'webpush'>> = {
  platform: 'web',
  kind: 'webpush',
  answers: webPushAnswers,
  takesSilent: false,
  hasManyHosts: true,
  // A push without an address is never sent. There is no single push service to ask, so a check can only show that the key opens.
  checkPush: { ...emptyPush, address: '', body: '' },
  mistakeIn: ({ subject }) => (isReachableSubject(subject) ? null : subjectWord),

  async open({ config, unseal, notesOf, resolve }) {
    const rule = endpointRuleOf(config)
    // Devices name the hosts of push services, so Herald asks name servers directly and leaves `getaddrinfo`, of which the system runs few at once,
    // to FCM, OAuth and APNs. In development the hosts file comes first.
    const nameServers = new Resolver({ timeout: 1_500, tries: 2 })
    const byServers = resolve ?? resolveByServers(nameServers)
    const remembering = rememberingResolve(rule.allowPrivate ? resolveByHostsFile(byServers) : byServers)
    const { tunnel } = openWayOut(config, { resolve: remembering, allowPrivate: rule.allowPrivate })
    const guard = { ...guardBy(remembering, rule), tunnel }
    const services =
      config.TRANSPORT === 'library' ? (await import('./library.ts')).openWebPush(guard, rule) : openWebPush(guard, rule, notesOf())
    return {
      forApp(appId, credentials) {
        const { version, subject, publicKey } = credentials
        const privateKey = readVapidKey(publicKey, unseal(credentials))
        const transport = services.forApp({ appId, subject, publicKey, privateKey })
        return { transport, version, rate: null, ...oneEnvironment, originOf: (to) => `web ${hostOf(to.address)}` }
      },
      close() {
        nameServers.cancel()
        return services.close()
      },
    }
  },
}
