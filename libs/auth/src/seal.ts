import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/**
 * Seals secrets for the database, so that without a key nobody can read them or change them unnoticed. `context` (table, column, row, app) is bound
 * into the value: copied to another place it does not open.
 */
export type Sealer = {
  /** The id of the key that seals: the first of the SEAL_KEYS. */
  readonly keyId: string
  seal(plain: Buffer | string, context: string): string
  /** Throws SealError when the value is malformed, was changed, belongs to another context, or its key is not among the SEAL_KEYS. */
  open(sealed: string, context: string): Buffer
  /** Says whether the value names the first key. A value with another key must be sealed again before that key can be removed. */
  isCurrent(sealed: string): boolean
}

/** Thrown for a sealed value that does not open, and for wrong SEAL_KEYS. The message says why, and has neither plaintext nor key. */
export class SealError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SealError'
  }
}

const nonceBytes = 12
const tagBytes = 16
const sealedForm = /^([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)$/

/**
 * Reads `SEAL_KEYS`, a comma list of `<id>:<base64 of 32 bytes>`: the first seals, all open (spec: administration/seal-keys). A sealed value is
 * `<id>.<base64url of nonce, ciphertext, tag>` (AES-256-GCM). Throws a SealError with a malformed entry's position.
 */
export function openSealer(sealKeys: string): Sealer {
  const keys = parseSealKeys(sealKeys)
  const [[currentId, currentKey]] = keys
  const byId = new Map(keys)

  return {
    keyId: currentId,
    seal(plain, context) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', currentKey, nonce, { authTagLength: tagBytes })
      cipher.setAAD(boundData(currentId, context))
      const bytes = Buffer.concat([
        nonce,
        cipher.update(typeof plain === 'string' ? Buffer.from(plain) : plain),
        cipher.final(),
        cipher.getAuthTag(),
      ])
      return `${currentId}.${bytes.toString('base64url')}`
    },
    open(sealed, context) {
      const [, id = '', body = ''] = sealedForm.exec(sealed) ?? []
      const bytes = Buffer.from(body, 'base64url')
      if (bytes.length < nonceBytes + tagBytes || bytes.toString('base64url') !== body) throw new SealError('the sealed value is malformed')
      const key = byId.get(id)
      if (key === undefined) throw new SealError(`the key ${id} of the sealed value is not among the SEAL_KEYS`)
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
      decipher.setAAD(boundData(id, context))
      decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes))
      try {
        return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, bytes.length - tagBytes)), decipher.final()])
      } catch {
        throw new SealError('the sealed value was changed or belongs elsewhere')
      }
    },
    isCurrent: (sealed) => sealed.startsWith(`${currentId}.`),
  }
}

/** Reports what is wrong with SEAL_KEYS, for the `superRefine` of a settings schema, so that the error names the variable like other settings. */
export function checkSealKeys(sealKeys: string, problems: { addIssue(problem: string): void }): void {
  try {
    openSealer(sealKeys)
  } catch (error) {
    problems.addIssue(error instanceof SealError ? error.message : 'is malformed')
  }
}

const boundData = (keyId: string, context: string): Buffer => Buffer.from(`herald\0${keyId}\0${context}`)

type KeyEntry = [id: string, key: Buffer]

function parseSealKeys(sealKeys: string): [KeyEntry, ...KeyEntry[]] {
  const entries = sealKeys.split(',').map((entry, place): KeyEntry => {
    const [, id = '', encoded = ''] = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]+={0,2})$/.exec(entry.trim()) ?? []
    const key = Buffer.from(encoded, 'base64')
    if (id === '' || key.length !== 32) throw new SealError(`entry ${place + 1} of SEAL_KEYS must be <id>:<base64 of 32 bytes>`)
    return [id, key]
  })
  if (new Set(entries.map(([id]) => id)).size !== entries.length) throw new SealError('SEAL_KEYS must not name an id twice')
  const [first, ...others] = entries
  if (first === undefined) throw new SealError('SEAL_KEYS must hold at least one key')
  return [first, ...others]
}
