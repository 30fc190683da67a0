import { createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'

const generate = promisify(generateKeyPair)

export type ApnsAccount = { kind: 'apns'; teamId: string; keyId: string; bundleId: string; publicKey: KeyObject }
export type FcmAccount = { kind: 'fcm'; projectId: string; clientEmail: string; publicKey: KeyObject }
export type Account = ApnsAccount | FcmAccount

export type Accounts = ReturnType<typeof openAccounts>

/** The customers of the simulated providers. Making an account again replaces its key: whatever the old one signed is refused from then on. */
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
    /** The team a bundle id belongs to. */
    teamOf: (bundleId: string): string | undefined => bundles.get(bundleId),
    project: (projectId: string): FcmAccount | undefined => projects.get(projectId),
    projectByEmail: (clientEmail: string): FcmAccount | undefined =>
      [...projects.values()].find((project) => project.clientEmail === clientEmail),
    /** The VAPID key that web devices made from now on demand, unless they name another. */
    setApplicationServerKey(key: string): void {
      applicationServerKey = key
    },
    applicationServerKey: (): string | undefined => applicationServerKey,
    bundleIds: (): string[] => [...bundles.keys()],
    projectIds: (): string[] => [...projects.keys()],
  }
}

/** A new APNs signing key: the account knows the public half, the .p8 text is for the customer. */
export async function makeApnsAccount(
  teamId: string,
  keyId: string,
  bundleId: string,
): Promise<{ account: ApnsAccount; privateKey: string }> {
  const pair = await generate('ec', { namedCurve: 'P-256' })
  const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { account: { kind: 'apns', teamId, keyId, bundleId, publicKey: pair.publicKey }, privateKey }
}

/** A new FCM project with the service account file a customer would download. */
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

/** An account as text, without any private key, and back. */
export const accountToJson = (account: Account) => ({
  ...account,
  publicKey: account.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
})
export const accountFromJson = (json: ReturnType<typeof accountToJson>): Account => ({
  ...json,
  publicKey: createPublicKey(json.publicKey),
})
