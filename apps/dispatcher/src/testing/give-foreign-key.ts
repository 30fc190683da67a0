import { generateKeyPairSync } from 'node:crypto'
import { makeVapidPair } from '@herald/auth/provider-token'
import { openSealer } from '@herald/auth/seal'
import type { Platform } from '@herald/contracts/platform'
import { sealKeys, type Peers } from './start-peers.ts'

/** Gives an app credentials with a key that the provider does not know: everything that the app sends there is refused. */
export function giveForeignKey(peers: Peers, platform: Platform, appId: string): void {
  const { accounts } = peers
  const seal = (key: string) => ({ sealedPrivateKey: openSealer(sealKeys).seal(key, 'foreign'), sealContext: 'foreign' })
  switch (platform) {
    case 'ios': {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const token = accounts.apnsToken(new Date(), privateKey)
      peers.apnsTokens.set(appId, () => token)
      break
    }
    case 'android': {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
      peers.changeCredentials(appId, 'fcm', { ...accounts.credentials.fcm, ...seal(pem) })
      break
    }
    case 'web': {
      const { publicKey, privateKey } = makeVapidPair()
      peers.changeCredentials(appId, 'webpush', { ...accounts.credentials.webpush, publicKey, ...seal(privateKey) })
    }
  }
}
