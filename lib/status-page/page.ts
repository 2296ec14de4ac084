import { createHash } from 'node:crypto';
import { SAFE_HEADERS } from './answers.js';
import { MARKUP } from './client/markup.js';
import { CONNECTION_SCRIPT } from './client/connection-script.js';
import { CONTROLS_SCRIPT } from './client/controls-script.js';
import { HISTORY_SCRIPT } from './client/history-script.js';
import { STATE_SCRIPT } from './client/state-script.js';
import { STYLE } from './client/style.js';
import { TIMELINE_SCRIPT } from './client/timeline-script.js';
import { TIMELINE_STYLE } from './client/timeline-style.js';
import { TOOLS_SCRIPT } from './client/tools-script.js';
import type { StatusHeaders, WholeAnswer } from './status-answer.js';

// Text and not functions that are printed: a bundler or a coverage tool would change those.
const SCRIPT = `(function () {
'use strict';
${[TOOLS_SCRIPT, CONTROLS_SCRIPT, STATE_SCRIPT, TIMELINE_SCRIPT, HISTORY_SCRIPT, CONNECTION_SCRIPT].join('\n')}
})();`;
const STYLES = `${STYLE}\n${TIMELINE_STYLE}`;

/** The page is the same for everybody: what it shows comes by `status` and `events`. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Lifecycle</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='6' fill='none' stroke='%230b6bb5' stroke-width='3'/%3E%3C/svg%3E">
<style>${STYLES}</style>
</head>
<body>
${MARKUP}
<script>${SCRIPT}</script>
</body>
</html>
`;

/** Only this very script and style; nothing from elsewhere, and no text that becomes markup. */
const POLICY = [
  "default-src 'none'",
  `script-src '${hashOf(SCRIPT)}'`,
  `style-src '${hashOf(STYLES)}'`,
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const HEADERS: StatusHeaders = {
  ...SAFE_HEADERS,
  'Content-Security-Policy': POLICY,
  'Content-Type': 'text/html; charset=utf-8',
};

export function pageAnswer(): WholeAnswer {
  return { status: 200, headers: HEADERS, body: PAGE };
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}`;
}
