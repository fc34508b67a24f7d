import type { Config } from './config.ts'

/**
 * The address of a page of this installation for messages; only ever ours, never what a request
 * says.
 */
export const publicLink = ({ publicUrl, host, port, basePath }: Config, path: string): string =>
  `${(publicUrl ?? `http://${host}:${port}${basePath}`).replace(/\/+$/, '')}${path}`
