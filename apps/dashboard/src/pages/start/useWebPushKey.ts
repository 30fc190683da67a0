import { api } from '../../api/client.ts'
import { queryClient } from '../../api/queryClient.ts'
import { subjectOf } from '../../core/provider-warnings.ts'

/**
 * Reads the app's public key of Web Push: undefined until it is known, null when there is none. `make` makes the key pair, with the operator's
 * address as its subject.
 */
export function useWebPushKey(appId: string) {
  const path = { appId }
  // The overview says whether the app has a key pair. Only then is the key requested, because a request for a key that does not exist would be an
  // error in the browser's console.
  const overview = api.useQuery('get', '/v1/admin/apps/{appId}/overview', { params: { path } }, { staleTime: 30_000 })
  const isSet = overview.data?.providers.some(({ kind, configured }) => kind === 'webpush' && configured)
  const read = api.useQuery('get', '/v1/admin/apps/{appId}/providers/webpush', { params: { path } }, { enabled: isSet === true })
  const making = api.useMutation('put', '/v1/admin/apps/{appId}/providers/webpush', {
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['get', '/v1/admin/apps/{appId}/overview'] }),
  })
  return {
    publicKey: making.data?.publicKey ?? read.data?.publicKey ?? (isSet === false ? null : undefined),
    readError: read.error ?? overview.error,
    making,
    make: (address: string) => making.mutate({ params: { path }, body: { subject: subjectOf(address) } }),
  }
}
