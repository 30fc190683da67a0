/** A provider token (a JWT) of a team and key, as the gateway gives it to dispatchers. All dispatchers get the same token. */
export type ApnsToken = { token: string; mintedAt: string }
export type AskForToken = (refused: string | null) => Promise<ApnsToken | null>

/**
 * A dispatcher asks for a token at most this often; for the successor of an expired one at once. The gateway makes a new token every 20 to 50
 * minutes, so once a minute is enough.
 */
const askEveryMs = 60_000
/** While the gateway is away, a token is used until it is this old: a little less than the hour after which Apple refuses a token. */
const usableMs = 58 * 60_000

/** The provider token of one app. The dispatcher asks the gateway for it by one call at a time, at most as often as `askEveryMs` says. */
export type ProviderToken = {
  /** Gives the token to use now; null when the app has no credentials. Throws when the gateway is away and no usable token is known. */
  current(): Promise<string | null>
  /** The known token, unless it is time to ask the gateway again; then undefined. Nearly every push gets its token here, without a promise. */
  readonly fresh: string | undefined
  /** Gives the token that follows one that APNs called expired, or the same token when it is too young to be replaced. */
  renew(refused: string): Promise<string | null>
}

export function openProviderToken(ask: AskForToken, now: () => number = Date.now): ProviderToken {
  let known: ApnsToken | null = null
  let askedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<string | null> | undefined

  const askOnce = async (refused: string | null): Promise<string | null> => {
    try {
      known = await ask(refused)
      askedAt = now()
    } catch (error) {
      if (!known || now() - Date.parse(known.mintedAt) > usableMs) throw error
    }
    return known?.token ?? null
  }
  const askShared = (refused: string | null) => (asking ??= askOnce(refused).finally(() => (asking = undefined)))

  const fresh = () => (known && now() - askedAt < askEveryMs ? known.token : undefined)

  return {
    get fresh() {
      return fresh()
    },
    async current() {
      return fresh() ?? askShared(null)
    },
    async renew(refused) {
      // When a token expires, hundreds of pushes are refused together. The first of them asks for a new token, and the others find that token here.
      if (known && known.token !== refused) return known.token
      return askShared(refused)
    },
  }
}
