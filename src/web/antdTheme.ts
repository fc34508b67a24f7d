import LoadingOutlined from '@ant-design/icons/es/icons/LoadingOutlined'
import { theme as antd, type ConfigProviderProps, type ThemeConfig } from 'antd'
import { createElement } from 'react'
import theme from './theme.json' with { type: 'json' }
import { layout, type Mode } from './theme.ts'

const merge = (
  base: Record<string, object>,
  over: Record<string, object>,
): Record<string, object> => {
  const out = { ...base }
  for (const [name, tokens] of Object.entries(over)) out[name] = { ...out[name], ...tokens }
  return out
}

/** A thumb needs 44 px, whatever the size a page asks for; `compact` is for the mouse. */
const controls = (compact: boolean, phone: boolean) =>
  phone
    ? { controlHeight: 44, controlHeightSM: 44 }
    : compact
      ? { controlHeight: 28, fontSize: 13 }
      : {}

/**
 * An icon of our own comes and goes at once. antd's own folds away by a transition; when saving was
 * too quick for it to unfold, no transition ends, and the button is called "loading" for ever.
 */
export const antdButton: NonNullable<ConfigProviderProps['button']> = {
  autoInsertSpace: false,
  loadingIcon: createElement(LoadingOutlined),
}

export function antdTheme(mode: Mode, compact: boolean, phone: boolean): ThemeConfig {
  const base = mode === 'dark' ? antd.darkAlgorithm : antd.defaultAlgorithm
  return {
    algorithm: base,
    token: {
      ...theme.shared.token,
      ...theme[mode].token,
      ...controls(compact, phone),
    },
    components: merge(merge(theme.shared.components, theme[mode].components), {
      Menu: { collapsedWidth: layout.folded, collapsedIconSize: 16 },
    }) as NonNullable<ThemeConfig['components']>,
    hashed: false,
    zeroRuntime: false,
  }
}
