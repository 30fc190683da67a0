/** Table, app and row go into what is sealed: a secret moved to another row or app does not open. */
export const secretContext = (appId: string, endpointId: string): string => `webhooks.endpoints/${appId}/${endpointId}/secret`
