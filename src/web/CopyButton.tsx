import CopyOutlined from '@ant-design/icons/es/icons/CopyOutlined'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { translate } from './i18n.ts'
import { toast } from './toast.ts'
import { Tooltip } from './ui/Tooltip.tsx'

/**
 * Copies without the spaces a person reads by; lines and tabs of a list stay. With `label` a
 * button, without it an icon.
 */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const { t } = useTranslation('web')
  const copy = () =>
    void navigator.clipboard.writeText(text.replace(/[^\S\r\n\t]/g, '')).then(
      () => toast('success', translate('action.copied')),
      () => undefined,
    )
  if (label)
    return (
      <Button type="text" icon={<CopyOutlined />} onClick={copy}>
        {label}
      </Button>
    )
  return (
    <Tooltip title={t('action.copy')}>
      <button
        type="button"
        className="hd-copy"
        aria-label={`${t('action.copy')} ${text}`}
        onClick={copy}
      >
        <svg viewBox="0 0 16 16" width="14" height="14" fill="none" aria-hidden="true">
          <path
            d="M5.2 3.4V1.700h9.100v10.200h-1.900M1.700 4.400h9.100v9.900H1.700z"
            stroke="currentColor"
          />
        </svg>
      </button>
    </Tooltip>
  )
}
