/* What the web build made, embedded in the binary (assets.S). */
#ifndef CH_RENDER_ASSETS_H
#define CH_RENDER_ASSETS_H

/* The template of the flame graph page, and the script of the SVG flame graph. */
extern const char ch_page_html_start[], ch_page_html_end[];
extern const char ch_svg_js_start[], ch_svg_js_end[];

#endif
