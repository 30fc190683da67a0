import { useSystem } from '../../session/useSystem.ts'

const served = /^\/pictures\/[\w-]{43}\.(?:jpg|png|gif)$/

/**
 * Gives the path of a picture that Herald itself serves, which a page may show; undefined for any other address. The address begins with the one at
 * which devices reach Herald, which may be another than the page's.
 */
export function useOwnPicture(address: string): string | undefined {
  const { data } = useSystem()
  if (!URL.canParse(address)) return undefined
  const { origin, pathname } = new URL(address)
  const ours = [location.origin, data?.baseUrl != null && URL.canParse(data.baseUrl) ? new URL(data.baseUrl).origin : undefined]
  return ours.includes(origin) && served.test(pathname) ? pathname : undefined
}
