type DenoGlobal = { Deno?: { createHttpClient?: (options: { poolMaxIdlePerHost: number }) => unknown } }

let init: RequestInit | undefined

/**
 * Gives options of `fetch` for a new connection, so that a request is sent only once. When a reused one closes before the answer, Bun (1.4) and Deno
 * (2.9) silently send it again. Other runtimes ignore the options.
 */
export function onConnectionOfItsOwn(): RequestInit {
  const client = init ? undefined : (globalThis as DenoGlobal).Deno?.createHttpClient?.({ poolMaxIdlePerHost: 0 })
  init ??= { keepalive: false, ...(client === undefined ? {} : { client }) }
  return init
}
