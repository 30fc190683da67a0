import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isPublicAddress } from '../core/address.ts'

export const blockedAddress = 'EBLOCKED'

/**
 * Resolves a name for a connection and refuses it when any of its addresses is off the public internet. The connection is
 * made to what is returned here, so a name that changes between check and use (rebinding) changes nothing.
 */
export const guardedLookup: LookupFunction = (host, options, callback) => {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '')
    const [first] = addresses
    if (!first || addresses.some(({ address }) => !isPublicAddress(address))) {
      return callback(Object.assign(new Error('the name resolves to an address that is not public'), { code: blockedAddress }), '')
    }
    return options.all ? callback(null, addresses) : callback(null, first.address, first.family)
  })
}
