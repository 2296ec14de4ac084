/** What is there before the script has anything to show. */
export const MARKUP = `<header class="top">
<div class="who">
<p class="eyebrow">Replica</p>
<h1><bdi id="identity">…</bdi></h1>
</div>
<div class="signals">
<p id="connection" class="chip" data-tone="idle" role="status">Connecting</p>
<ul id="probes" class="probes" aria-label="Probes"></ul>
</div>
</header>
<main>
<noscript><p class="note">This page needs JavaScript. The same as JSON is at <code>status</code> below this path.</p></noscript>
<p id="message" class="message" role="status" aria-live="polite" hidden></p>
<section aria-labelledby="elections-title">
<h2 id="elections-title">Leadership</h2>
<div id="elections" class="cards"></div>
</section>
<section aria-labelledby="components-title">
<h2 id="components-title">Components</h2>
<div id="components" class="rows" role="list"></div>
</section>
<section aria-labelledby="timeline-title">
<div class="bar">
<h2 id="timeline-title">Time line</h2>
<div id="ranges" class="ranges" role="group" aria-label="How far back"></div>
</div>
<div id="timeline" class="timeline"></div>
<ul id="legend" class="legend" aria-label="Colours"></ul>
</section>
<section aria-labelledby="history-title">
<h2 id="history-title">History</h2>
<ol id="history" class="history" reversed></ol>
</section>
</main>
<footer><p id="footer"></p></footer>`;
