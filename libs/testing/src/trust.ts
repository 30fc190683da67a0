import { getCACertificates, setDefaultCACertificates } from 'node:tls'

/** Makes this process trust these certificates as well as those that it already trusts. Test files that share a process thus leave each other's alone. */
export const trust = (...certificates: string[]): void => setDefaultCACertificates([...getCACertificates('default'), ...certificates])
