import { createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'

const generate = promisify(generateKeyPair)

export type ApnsAccount = { kind: 'apns'; teamId: string; keyId: string; bundleId: string; publicKey: KeyObject }
export type FcmAccount = { kind: 'fcm'; projectId: string; clientEmail: string; publicKey: KeyObject }
export type Account = ApnsAccount | FcmAccount

export type Accounts = ReturnType<typeof openAccounts>

/**
 * Keeps the accounts of the simulated providers in memory. A new account replaces an earlier one with the same team and key id (APNs) or project id
 * (FCM). What the old key signed is then refused.
 */
export function openAccounts() {
  const apnsKeys = new Map<string, ApnsAccount>()
  const bundles = new Map<string, string>()
  const projects = new Map<string, FcmAccount>()
  let applicationServerKey: string | undefined
  return {
    add(account: Account): void {
      if (account.kind === 'fcm') projects.set(account.projectId, account)
      else {
        apnsKeys.set(`${account.teamId}/${account.keyId}`, account)
        bundles.set(account.bundleId, account.teamId)
      }
    },
    apnsKey: (teamId: string, keyId: string): ApnsAccount | undefined => apnsKeys.get(`${teamId}/${keyId}`),
    teamOf: (bundleId: string): string | undefined => bundles.get(bundleId),
    project: (projectId: string): FcmAccount | undefined => projects.get(projectId),
    projectByEmail: (clientEmail: string): FcmAccount | undefined =>
      [...projects.values()].find((project) => project.clientEmail === clientEmail),
    /** Sets the VAPID key that a browser demands when it is made later and no other key is named for it. */
    setApplicationServerKey(key: string): void {
      applicationServerKey = key
    },
    applicationServerKey: (): string | undefined => applicationServerKey,
    bundleIds: (): string[] => [...bundles.keys()],
    projectIds: (): string[] => [...projects.keys()],
  }
}

/** Makes an APNs signing key. The account has the public half, and the caller gets the text of the .p8 file. */
export async function makeApnsAccount(
  teamId: string,
  keyId: string,
  bundleId: string,
): Promise<{ account: ApnsAccount; privateKey: string }> {
  const pair = await generate('ec', { namedCurve: 'P-256' })
  const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { account: { kind: 'apns', teamId, keyId, bundleId, publicKey: pair.publicKey }, privateKey }
}

/** Makes an FCM project, with the service account file that its owner would download. */
export async function makeFcmAccount(projectId: string, tokenUri: string) {
  const pair = await generate('rsa', { modulusLength: 2048 })
  const clientEmail = `firebase-adminsdk@${projectId}.iam.gserviceaccount.com`
  const account: FcmAccount = { kind: 'fcm', projectId, clientEmail, publicKey: pair.publicKey }
  const serviceAccount = {
    type: 'service_account',
    project_id: projectId,
    client_email: clientEmail,
    private_key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    token_uri: tokenUri,
  }
  return { account, serviceAccount }
}

/** Gives an account as it is stored in a file, without any private key. */
export const accountToJson = (account: Account) => ({
  ...account,
  publicKey: account.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
})
export const accountFromJson = (json: ReturnType<typeof accountToJson>): Account => ({
  ...json,
  publicKey: createPublicKey(json.publicKey),
})
