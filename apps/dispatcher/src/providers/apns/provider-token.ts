/** A provider token of a team and key, as the gateway hands it out. All dispatchers get the same. */
export type ApnsToken = { token: string; mintedAt: string }
export type AskForToken = (refused: string | null) => Promise<ApnsToken | null>

/** The gateway keeps a token for 20 to 50 minutes; asking once a minute is soon enough to hear of a new one. */
const askEveryMs = 60_000
/** Apple refuses a token that is an hour old. While the gateway is away, the known token is used until shortly before that. */
const usableMs = 58 * 60_000

/** The provider token of one app. The gateway is asked for it at most once a minute, by one call at a time. */
export type ProviderToken = {
  /** Gives the token to use now; null when the app has no credentials. Throws when the gateway is away and no token is known that could still be used. */
  current(): Promise<string | null>
  /** The token, if it is known and need not be asked for again yet. Nearly every push uses it so, without a promise. */
  readonly fresh: string | undefined
  /** Gives the token that follows one that APNs called expired, or the same when it is too young to be replaced. */
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
      // Hundreds of pushes are refused together: all but the first find the new token here.
      if (known && known.token !== refused) return known.token
      return askShared(refused)
    },
  }
}
