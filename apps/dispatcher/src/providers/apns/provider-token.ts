/** A provider token of a team and key, as the gateway hands it out: one for all dispatchers. */
export type ApnsToken = { token: string; mintedAt: string }
export type AskForToken = (refused: string | null) => Promise<ApnsToken | null>

/** The gateway keeps a token for 20 to 50 minutes; asking once a minute is soon enough to hear of a new one. */
const askEveryMs = 60_000
/** Apple refuses a token of an hour: while the gateway is away ours is used until shortly before. */
const usableMs = 58 * 60_000

/** The provider token of one app, asked for at most once a minute, by one call at a time. */
export type ProviderToken = {
  /** The token to use now; null: there are no credentials. Throws while the gateway is away and there is none to go on with. */
  current(): Promise<string | null>
  /** The token, if it is known and need not be asked for again yet: what nearly every push uses, without a promise. */
  readonly fresh: string | undefined
  /** APNs called this token expired: the next one, or the same when it is too young to be replaced. */
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
      // Hundreds of pushes are refused together: whoever comes after the first finds the new one.
      if (known && known.token !== refused) return known.token
      return askShared(refused)
    },
  }
}
