import { onPrefs, prefs } from './prefs.ts'
import theme from './theme.json' with { type: 'json' }

/** Our own values of theme.json as CSS variables; antd's tokens are built in antdTheme.ts. */
export type Mode = 'light' | 'dark'

export const tokens = (mode: Mode): Record<string, string> => ({ ...theme[mode].token })
export const chartColors = (mode: Mode) => theme.chart[mode]

export const layout = {
  side: 208,
  folded: 56,
  header: 48,
  tabs: 34,
  padding: 16,
  drawerBelow: 992,
  phoneBelow: 768,
} as const

function variables(mode: Mode): Record<string, string> {
  const { token, components } = theme[mode]
  const out: Record<string, string> = {
    '--hd-brand': mode === 'dark' ? token.colorPrimaryText : token.colorPrimary,
    '--hd-button': token.colorPrimary,
    '--hd-button-hover': token.colorPrimaryHover,
    '--hd-tint': token.colorPrimaryBg,
    '--hd-tint-line': token.colorPrimaryBorder,
    '--hd-page': token.colorBgLayout,
    '--hd-sheet': token.colorBgContainer,
    '--hd-floating': token.colorBgElevated,
    '--hd-side': components.Layout.siderBg,
    '--hd-text': token.colorText,
    '--hd-text-2': token.colorTextSecondary,
    '--hd-text-3': token.colorTextTertiary,
    '--hd-placeholder': token.colorTextPlaceholder,
    '--hd-field-line': token.colorBorder,
    '--hd-line': token.colorBorderSecondary,
    '--hd-table-line': components.Table.borderColor,
    '--hd-table-head': components.Table.headerBg,
    '--hd-table-head-text': components.Table.headerColor,
    '--hd-table-sorted': components.Table.headerSortActiveBg,
    '--hd-table-sort': token.colorTextQuaternary,
    '--hd-table-hover': components.Table.rowHoverBg,
    '--hd-table-chosen': components.Table.rowSelectedBg,
    '--hd-table-chosen-hover': components.Table.rowSelectedHoverBg,
    '--hd-split': token.colorSplit,
    '--hd-fill': token.colorFillSecondary,
    '--hd-fill-soft': token.colorFillTertiary,
    '--hd-error': token.colorError,
    '--hd-success': token.colorSuccess,
    '--hd-warning': token.colorWarning,
    '--hd-warning-bg': token.colorWarningBg,
    '--hd-error-bg': token.colorErrorBg,
    '--hd-selected-text': components.Menu.itemSelectedColor,
    '--hd-shadow': token.boxShadow,
    '--hd-hint': token.colorBgSpotlight,
    '--hd-font': theme.shared.token.fontFamily,
    '--hd-mono': theme.shared.token.fontFamilyCode,
    '--hd-login-panel': theme.brand.loginPanel,
  }
  for (const [key, value] of Object.entries(theme.status[mode])) {
    out[`--hd-st-${key}-text`] = value.text
    out[`--hd-st-${key}-bg`] = value.bg
    out[`--hd-st-${key}-mark`] = value.mark
  }
  const { series, ...rest } = theme.chart[mode]
  for (const [index, color] of series.entries()) out[`--hd-chart-${index + 1}`] = color
  for (const [key, color] of Object.entries(rest)) out[`--hd-chart-${key}`] = color
  for (const [key, px] of Object.entries(layout)) out[`--hd-${key}-px`] = `${px}px`
  return out
}

/** Colours follow the choice; `data-theme` was set before the first paint by boot.js. */
export function publishTheme(): void {
  const { theme: mode } = prefs()
  document.documentElement.dataset.theme = mode
  for (const [name, value] of Object.entries(variables(mode)))
    document.documentElement.style.setProperty(name, value)
}
onPrefs(publishTheme)
