import { createDecipheriv, createECDH, hkdfSync, type ECDH } from 'node:crypto'

/**
 * A browser's key pair. `ecdh` computes with it. For a pair that was read from a file, `ecdh` is undefined until the first push is decrypted, because
 * giving it the private key costs as much as a new pair.
 */
export type WebKeys = { publicKey: Buffer; privateKey: Buffer; ecdh: ECDH | undefined }

const tagBytes = 16
const publicKeyBytes = 65
/** The header of an encrypted body: salt (16 bytes), record size (4), length of the key id (1), key id, which is the sender's public key. */
const headerBytes = 21 + publicKeyBytes

/**
 * Says whether a body has the form of aes128gcm for Web Push: one record, the sender's public key as key id, space for an authentication tag (RFC
 * 8188 section 2.1, RFC 8291 section 4).
 */
export function looksEncrypted(body: Buffer): boolean {
  if (body.length < headerBytes + 1 + tagBytes) return false
  const recordSize = body.readUInt32BE(16)
  return body[20] === publicKeyBytes && body[21] === 4 && recordSize >= 18 && body.length - headerBytes <= recordSize
}

/** Decrypts a push with the keys of its device (RFC 8291), in about 250 µs. Gives undefined when it was not encrypted for these keys. */
export function decryptPush(keys: WebKeys, auth: Buffer, body: Buffer): Buffer | undefined {
  if (!looksEncrypted(body)) return undefined
  try {
    const salt = body.subarray(0, 16)
    const senderKey = body.subarray(21, headerBytes)
    keys.ecdh ??= openEcdh(keys.privateKey)
    const shared = keys.ecdh.computeSecret(senderKey)
    const input = hkdfSync('sha256', shared, auth, Buffer.concat([Buffer.from('WebPush: info\0'), keys.publicKey, senderKey]), 32)
    const key = hkdfSync('sha256', Buffer.from(input), salt, 'Content-Encoding: aes128gcm\0', 16)
    const nonce = hkdfSync('sha256', Buffer.from(input), salt, 'Content-Encoding: nonce\0', 12)
    const decipher = createDecipheriv('aes-128-gcm', Buffer.from(key), Buffer.from(nonce))
    decipher.setAuthTag(body.subarray(body.length - tagBytes))
    const padded = Buffer.concat([decipher.update(body.subarray(headerBytes, body.length - tagBytes)), decipher.final()])
    // The last record ends in 2 and any number of zeros (RFC 8188 section 2).
    let end = padded.length - 1
    while (end >= 0 && padded[end] === 0) end--
    return padded[end] === 2 ? padded.subarray(0, end) : undefined
  } catch {
    return undefined
  }
}

function openEcdh(privateKey: Buffer) {
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(privateKey)
  return ecdh
}
