/**
 * antd writes <style> elements at run time; under our CSP each needs the nonce. Must be imported
 * before antd.
 */
export const nonce =
  document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''

const create = document.createElement.bind(document)
document.createElement = ((name: string, options?: ElementCreationOptions) => {
  const element = create(name, options)
  if (nonce && name.toLowerCase() === 'style') element.setAttribute('nonce', nonce)
  return element
}) as typeof document.createElement
