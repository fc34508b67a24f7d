import { App as AntApp, ConfigProvider } from 'antd'
import enUS from 'antd/locale/en_US'
import zhCN from 'antd/locale/zh_CN'
import dayjs from 'dayjs'
import 'dayjs/locale/zh-cn'
import { QueryClientProvider } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { createBrowserRouter, RouterProvider, useRouteError } from 'react-router'
import { antdTheme } from './antdTheme.ts'
import { queryClient } from './api.ts'
import './app.css'
import { basePath } from './base.ts'
import { Guard } from './Guard.tsx'
import { LoadFailed } from './LoadFailed.tsx'
import { nonce } from './nonce.ts'
import { usePrefs } from './prefs.ts'
import { holdMessage } from './toast.ts'

const router = createBrowserRouter([{ path: '*', element: <Guard />, errorElement: <RouteFailed /> }], { basename: basePath().replace(/\/$/, '') || '/' })

/** Everything behind the sign-in. Loaded lazily by entry.tsx. */
export function App() {
  const { lang, theme, compact } = usePrefs()
  dayjs.locale(lang === 'en' ? 'en' : 'zh-cn')
  const config = useMemo(() => antdTheme(theme, compact), [theme, compact])
  return (
    <ConfigProvider
      locale={lang === 'en' ? enUS : zhCN} theme={config} csp={{ nonce }} componentSize={compact ? 'small' : 'medium'} button={{ autoInsertSpace: false }}
      form={{ requiredMark: (label, { required }) => (required ? <>{label}<span className="hd-required" aria-hidden="true">*</span></> : label) }}
    >
      <AntApp message={{ maxCount: 3, duration: 3 }} className="hd-app">
        <HoldMessage />
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </AntApp>
    </ConfigProvider>
  )
}

function RouteFailed() {
  return <LoadFailed error={useRouteError()} />
}

function HoldMessage() {
  const { message } = AntApp.useApp()
  useEffect(() => holdMessage(message), [message])
  return null
}
