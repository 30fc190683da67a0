import { existsSync } from 'node:fs'
import { join } from 'node:path'

export type Settings = {
  heraldUrl: string
  secretKey: string
  publicKey: string
  webhookSecrets: string[]
  identitySecret: string | undefined
  /** The category of the app in Herald that the shop's notifications are in; undefined for none. */
  category: string | undefined
  /** The category that the shop's offers are in; undefined for none. */
  offersCategory: string | undefined
  port: number
}

/** Reads the settings from .env or the environment. Throws an Error that names each missing setting and says where to get its value. */
export function readSettings(): Settings {
  const file = join(import.meta.dirname, '.env')
  if (existsSync(file)) process.loadEnvFile(file)
  const read = (name: string) => process.env[name]?.trim() || undefined
  const [heraldUrl, secretKey, publicKey] = [read('HERALD_URL'), read('HERALD_SECRET_KEY'), read('HERALD_PUBLIC_KEY')]
  const missing = [
    ...(heraldUrl ? [] : ['HERALD_URL, the address of your Herald, such as http://127.0.0.1:8080']),
    ...(secretKey?.startsWith('sk_') ? [] : ['HERALD_SECRET_KEY, a secret key of your app (sk_live_…)']),
    ...(publicKey?.startsWith('pk_') ? [] : ['HERALD_PUBLIC_KEY, a public key of the same app (pk_live_…)']),
  ]
  if (!heraldUrl || !secretKey || !publicKey || missing.length > 0)
    throw new Error(
      `The shop needs, in ${file} or in the environment:\n${missing.map((line) => `  ${line}`).join('\n')}\nBoth keys are made on the page Keys of the dashboard.`,
    )
  const webhookSecrets = (read('HERALD_WEBHOOK_SECRET') ?? '').split(',').filter((secret) => secret !== '')
  return {
    heraldUrl,
    secretKey,
    publicKey,
    webhookSecrets,
    identitySecret: read('HERALD_IDENTITY_SECRET'),
    category: read('HERALD_CATEGORY'),
    offersCategory: read('HERALD_OFFERS_CATEGORY'),
    port: Number(read('PORT') ?? 3000),
  }
}
