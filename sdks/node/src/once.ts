type DenoGlobal = { Deno?: { createHttpClient?: (options: { poolMaxIdlePerHost: number }) => unknown } }

let init: RequestInit | undefined

/**
 * Gives options of `fetch` that make a request use a new connection, so that it is sent only once. On a reused connection that closes before the
 * answer, Bun (1.4) and Deno (2.9) silently send the request a second time. Other runtimes ignore these options.
 */
export function onConnectionOfItsOwn(): RequestInit {
  const client = init ? undefined : (globalThis as DenoGlobal).Deno?.createHttpClient?.({ poolMaxIdlePerHost: 0 })
  init ??= { keepalive: false, ...(client === undefined ? {} : { client }) }
  return init
}
