import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { natsUsers, type NatsUser } from '@herald/contracts/grants'
import { appsWithDatabase, databaseVariable, natsPasswordVariable, type SecretName } from './apps.ts'
import { StartError } from './start-error.ts'
import { writeWhole } from './write-whole.ts'

const KeptSecrets = z.object({
  adminToken: z.string().min(32),
  hmacSecret: z.string().min(32),
  sealKeys: z.string().min(1),
  passwords: z.record(z.string(), z.string()),
  natsPasswords: z.record(z.string(), z.string()),
  simulatorToken: z.string().min(32),
})

export type Secrets = Record<SecretName, string> & {
  /** The passwords of the services' roles in Postgres. */
  passwords: Record<string, string>
  natsPasswords: Record<NatsUser, string>
}

/**
 * Gives the secrets of this installation: those in the environment, else those in `<data>/secrets.json` (0600), which the first start makes.
 * A broken file is never replaced, because without its SEAL_KEYS every stored credential would be lost.
 */
export function readSecrets(dataDir: string, environment: NodeJS.ProcessEnv): Secrets {
  const file = join(dataDir, 'secrets.json')
  const kept = existsSync(file) ? parse(file, readFileSync(file, 'utf8')) : makeSecrets()
  const complete = {
    ...kept,
    passwords: { ...makePasswords(appsWithDatabase), ...kept.passwords },
    natsPasswords: { ...makePasswords(natsUsers), ...kept.natsPasswords },
  }
  writeWhole(file, `${JSON.stringify(complete, null, 2)}\n`)
  return {
    ADMIN_TOKEN: environment['ADMIN_TOKEN'] || complete.adminToken,
    HMAC_SECRET: environment['HMAC_SECRET'] || complete.hmacSecret,
    SEAL_KEYS: environment['SEAL_KEYS'] || complete.sealKeys,
    SIMULATOR_CONTROL_TOKEN: environment['SIMULATOR_CONTROL_TOKEN'] || complete.simulatorToken,
    passwords: { ...complete.passwords, ...givenPasswords(environment) },
    natsPasswords: { ...complete.natsPasswords, ...givenNatsPasswords(environment) },
  }
}

function makeSecrets(): z.infer<typeof KeptSecrets> {
  return {
    adminToken: makeToken(),
    hmacSecret: makeToken(),
    sealKeys: `k1:${randomBytes(32).toString('base64')}`,
    passwords: {},
    natsPasswords: {},
    simulatorToken: makeToken(),
  }
}

function makeToken(): string {
  return randomBytes(32).toString('base64url')
}

const makePasswords = <Name extends string>(of: readonly Name[]) =>
  Object.fromEntries(of.map((name) => [name, randomBytes(24).toString('base64url')])) as Record<Name, string>

const givenNatsPasswords = (environment: NodeJS.ProcessEnv): Partial<Record<NatsUser, string>> =>
  Object.fromEntries(
    natsUsers.flatMap((user) => {
      const given = environment[natsPasswordVariable(user)]
      return given ? [[user, given] as const] : []
    }),
  )

/** Reads the passwords of services' roles from the database addresses that the environment gives. */
function givenPasswords(environment: NodeJS.ProcessEnv): Record<string, string> {
  const given = appsWithDatabase.flatMap((app) => {
    const address = environment[databaseVariable(app)]
    const password = address && URL.canParse(address) ? decodeURIComponent(new URL(address).password) : ''
    return password === '' ? [] : [[app, password] as const]
  })
  return Object.fromEntries(given)
}

function parse(file: string, text: string): z.infer<typeof KeptSecrets> {
  try {
    return KeptSecrets.parse(JSON.parse(text))
  } catch {
    throw new StartError(
      `${file} cannot be read as the secrets of this installation. Put it back from a backup; without it the stored credentials cannot be opened.`,
    )
  }
}
